// The tokens of `.ax`. The lexer reads each byte as one character, so offsets are in bytes. Every byte belongs to some token.
lexer grammar AxLexer;

FN     : 'fn';
IF     : 'if';
ELSE   : 'else';
MATCH  : 'match';
WHERE  : 'where';
IMPORT : 'import';
PARAM  : 'param';
OP     : 'op';
AND    : 'and';
OR     : 'or';
NOT    : 'not';
TRUE   : 'true';
FALSE  : 'false';
INF    : 'inf';
NOT_A_NUMBER : 'nan';
LOWEST : 'lowest';

LPAREN : '(';
RPAREN : ')';
LBRACK : '[';
RBRACK : ']';
LBRACE : '{';
RBRACE : '}';
COMMA  : ',';
SEMI   : ';';
COLON  : ':';
ASSIGN : '=';
ARROW  : '->';
EQ     : '==';
NE     : '!=';
LE     : '<=';
GE     : '>=';
LT     : '<';
GT     : '>';
PLUS   : '+';
MINUS  : '-';
STAR   : '*';
SLASH  : '/';
PERCENT : '%';
AT     : '@';
HASH   : '#';
TILDE  : '~';
QUESTION : '?';
ELLIPSIS : '...';
PACK   : '..';
HOLE   : '_';

// `stem.kernel`, `encoder.0.bias`, `s0'`: a dotted name is one name.
NAME   : WORD ('.' PART)*;

// `3`, `0.5`, `1e-5`, `0f`, `3i64`: the suffix must be `f` or a numeric element type; `frontend/` checks that.
NUMBER : DIGIT+ ('.' DIGIT+)? ([eE] [+-]? DIGIT+)? SUFFIX?;

STRING : '"' CHARACTER* '"';
UNTERMINATED : '"' CHARACTER* '\\'?;

DOC     : '///' (~[/\r\n] ~[\r\n]*)? -> channel(HIDDEN);
COMMENT : '//' ~[\r\n]* -> channel(HIDDEN);
SPACE   : [ \t\r\n\f]+ -> skip;
UNKNOWN : .;

fragment WORD      : [a-zA-Z_] [a-zA-Z0-9_]* '\''*;
fragment PART      : [a-zA-Z0-9_]+ '\''*;
fragment DIGIT     : [0-9];
fragment SUFFIX    : [a-zA-Z_] [a-zA-Z0-9_]*;
fragment CHARACTER : ~["\\\r\n] | '\\' ~[\r\n];
