// Reads texts with VS Code's own reader of TextMate grammars: textmate.js MODULES GRAMMAR < {name: [line, ...]}
// Prints {name: [[[begin, end, [scope, ...]], ...] of each line]}, in characters.
const fs = require('fs');
const { createRequire } = require('module');
const [modules, grammarFile] = process.argv.slice(2);
const fetched = createRequire(modules + '/');
const oniguruma = fetched('vscode-oniguruma');
const textmate = fetched('vscode-textmate');

const characters = (line, units) => [...line.slice(0, units)].length;

const main = async () => {
  await oniguruma.loadWASM(fs.readFileSync(fetched.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(grammarFile, 'utf8'), grammarFile),
  });
  const grammar = await registry.loadGrammar('source.axle');
  const out = {};
  for (const [name, lines] of Object.entries(JSON.parse(fs.readFileSync(0, 'utf8')))) {
    let state = textmate.INITIAL;
    out[name] = lines.map((line) => {
      const read = grammar.tokenizeLine(line, state);
      state = read.ruleStack;
      return read.tokens.map((token) => [
        characters(line, token.startIndex), characters(line, token.endIndex), token.scopes.slice(1)]);
    });
  }
  process.stdout.write(JSON.stringify(out));
};

main();
