// The base class of the generated parser: runs at the start and the end of every rule.
#pragma once

#include <antlr4-runtime.h>

namespace axle::grammar {

// Every context of AxParser is a ParserRuleContext, so these casts are static; ANTLR's own methods use two dynamic
// casts for each rule. There are no listeners.
class ParserBase : public antlr4::Parser {
 protected:
  using Parser::Parser;

  void enterRule(antlr4::ParserRuleContext* context, std::size_t state, std::size_t) override {
    setState(state);
    _ctx = context;
    context->start = _input->LT(1);
    if (auto* parent = static_cast<antlr4::ParserRuleContext*>(context->parent)) parent->addChild(context);
  }

  void exitRule() {
    _ctx->stop = _input->LT(_matchedEOF ? 1 : -1);
    setState(_ctx->invokingState);
    _ctx = static_cast<antlr4::ParserRuleContext*>(_ctx->parent);
  }
};

}  // namespace axle::grammar
