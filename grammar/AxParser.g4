// The syntax of `.ax`. Nearly every decision needs one token of look-ahead. If a construct would need more, the rule accepts
// slightly more than the language, and the transformation to the syntax tree (frontend/) reports the rest:
//   - an expression before `=` must be a pattern; before `=` in a call it must be a name;
//   - a named `fn` must be a separate statement;
//   - a lone `-` is an operator section only as a whole expression;
//   - comma lists have no gaps (a trailing comma is allowed);
//   - every `if` ends in an `else`;
//   - a dimension must not be a shape, and a shape not a dimension; `n (m)` is a call or the two operands of `(+ n (m))`;
//   - numbers and truth values are arguments of shape functions only; the only comparison of shapes is `==`;
//   - comparisons do not chain;
//   - annotations are allowed before bindings only; packs, attributes and type functions in `op` only;
//   - facts follow a whole signature, not a part of it;
//   - names in a list of types are those of a function's parameters; in `op`, `name : sort` is a static attribute.
parser grammar AxParser;

options { tokenVocab = AxLexer; superClass = ParserBase; }

@postinclude {
#include "grammar/parser_base.h"
}

program : item? (SEMI item?)* EOF;
// Entry rules for parts of a source.
factOnly  : fact EOF;
valueOnly : value EOF;
typeOnly  : type EOF;
shapeOnly : shape EOF;

item : annotation* (importItem | paramItem | opItem | binding);

importItem : IMPORT NAME;
paramItem  : PARAM NAME (COLON type whereClause?)? (ASSIGN STRING)?;

// `name = value`, `a, (b, _) = value`, `fn name(...) {...}`, or the value of a block.
statement  : annotation* binding;
binding    : value (ASSIGN value)?;
annotation : AT NAME (LPAREN annotationArgument (COMMA annotationArgument)* RPAREN)?;
annotationArgument : STRING | NAME;

value : expression (COMMA expression)*;
block : LBRACE statement? (SEMI statement?)* RBRACE;

// ---- expressions, weakest first; binary operators associate to the left

expression  : section | conjunction (OR conjunction)*;
section     : PLUS | STAR | SLASH | PERCENT | EQ | NE | LT | LE | GT | GE | AND | OR;
conjunction : comparison (AND comparison)*;
comparison  : NOT* sum ((EQ | NE | LT | LE | GT | GE) sum)*;
sum         : product ((PLUS | MINUS) product)*;
product     : prefix ((STAR | SLASH | PERCENT) prefix)*;
prefix
  : MINUS+ (function | conditional | matching | postfix)?
  | function
  | conditional
  | matching
  | postfix
  ;
// A literal, a name or a bracketed expression, followed by calls and indices.
postfix
  : ( NAME | NUMBER | INF | NOT_A_NUMBER | LOWEST | TRUE | FALSE | STRING | HOLE
    | LPAREN (expression (COMMA expression)*)? RPAREN
    | LBRACK expression? (COMMA expression?)* RBRACK
    )
    (LPAREN arguments RPAREN | LBRACK indexItem (COMMA indexItem)* RBRACK)*
  ;

arguments : argument? (COMMA argument?)*;
argument  : expression (ASSIGN expression)?;
indexItem : ELLIPSIS | expression range? | range;
range     : COLON expression? (COLON expression?)?;

function    : FN NAME? LPAREN parameter? (COMMA parameter?)* (SEMI staticParameter? (COMMA staticParameter?)*)? RPAREN
              (COLON type)? whereClause? block;
parameter   : NAME (COLON type)?;
staticParameter : NAME ASSIGN expression;
conditional : IF expression block elsePart*;
elsePart    : ELSE (IF expression)? block;
matching    : MATCH expression COLON type block;

// ---- types

type        : simpleType (ARROW simpleType)*;
simpleType
  : LPAREN typeParameter? (COMMA typeParameter?)* whereClause? RPAREN
  | HOLE
  | NAME typeTail?
  | PACK NAME shape
  ;
typeParameter : (NAME COLON)? type;
typeTail    : shape | LPAREN typeArgument (COMMA typeArgument)+ RPAREN;
typeArgument : NAME bareShape? | NUMBER;

shape       : append (HASH append)*;
append      : shapePart (AT shapePart)*;
shapePart   : barePart | LPAREN shape RPAREN;
// A shape that does not start with a bracket: after `t (s`, a bracket could also belong to a type function, as in `t (s (q))`.
bareShape   : bareAppend (HASH append)*;
bareAppend  : barePart (AT shapePart)*;
barePart
  : dimList
  | NAME (LPAREN dimArgument (COMMA callArgument)* RPAREN)?
  | QUESTION NAME
  | PACK NAME
  ;
dimList     : LBRACK listedDim? (COMMA listedDim?)* RBRACK;

listedDim   : STAR NAME? | dim | dimList;
dim         : dimProduct ((PLUS | MINUS) dimProduct)*;
dimProduct  : dimPrefix ((STAR | SLASH | PERCENT) dimPrefix)*;
dimPrefix   : MINUS* dimPrimary;
dimPrimary  : (dimAtom | dimGroup) dimSuffix*;
dimAtom
  : NUMBER
  | NAME
  | HOLE
  | QUESTION NAME
  | PACK NAME
  | TILDE (NAME | LPAREN dim RPAREN)
  ;
// A call's arguments, an attribute's index. In `(+ n (m))` it is the second operand.
dimSuffix   : dimGroup | LBRACK dim RBRACK;
dimGroup    : LPAREN (prefixForm | dimArgument (operand | (COMMA callArgument)+)?) RPAREN;
prefixForm  : (PLUS | STAR | SLASH | PERCENT) dimPrefix (operand | negated)?;
negated     : MINUS+ dimPrimary;
// The second operand of `(- n m)` if it does not start with a bracket.
operand     : dimAtom dimSuffix*;
// A dimension or a shape.
dimArgument : argumentAppend (HASH append)*;
argumentAppend : (dim | dimList) (AT shapePart)*;
callArgument : dimArgument | TRUE | FALSE | STRING;

// ---- facts

whereClause : WHERE fact (COMMA fact)*;
fact
  : NAME COLON (NAME | NUMBER OR dim)
  | dimArgument ((EQ | NE | LT | LE | GT | GE) dimArgument)+
  ;

// ---- declarations of core operators

opItem : OP opName COLON LPAREN opParameter? (COMMA opParameter?)* (SEMI opAttribute (COMMA opAttribute)*)? RPAREN
         ARROW type whereClause?;
opName
  : NAME | PLUS | MINUS | STAR | SLASH | PERCENT | EQ | NE | LT | LE | GT | GE | AND | OR | NOT
  ;
opParameter : typeParameter (ELLIPSIS NAME)?;
opAttribute : NAME COLON sort (ASSIGN expression)?;
sort        : NAME (LPAREN sortArgument (COMMA sortArgument)* RPAREN)?;
sortArgument : NAME | NUMBER;
