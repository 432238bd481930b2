" The words and signs of grammar/AxLexer.g4.
if exists('b:current_syntax')
  finish
endif
syntax keyword axleStatement fn if else match where import param op
syntax keyword axleOperator and or not
syntax keyword axleBoolean true false
syntax keyword axleConstant inf nan lowest
syntax keyword axleType f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool string
syntax match axleNumber /\v\.@1<!<\d+(\.\d+)?([eE][+-]?\d+)?[a-zA-Z0-9_]*>/
syntax match axleSign /[-+*\/%=<>!@#~?:]/
syntax match axleAnnotation /@\ze\h/ nextgroup=axleAnnotationName
syntax match axleAnnotationName /\h\w*/ contained
syntax match axleEscape /\\./ contained
syntax region axleString start=/"/ skip=/\\./ end=/"/ oneline contains=axleEscape
syntax match axleComment /\/\/.*$/ contains=@Spell
syntax match axleDoc /\/\/\/.*$/ contains=@Spell
highlight default link axleStatement Keyword
highlight default link axleOperator Operator
highlight default link axleBoolean Boolean
highlight default link axleConstant Constant
highlight default link axleType Type
highlight default link axleNumber Number
highlight default link axleSign Operator
highlight default link axleAnnotation PreProc
highlight default link axleAnnotationName PreProc
highlight default link axleEscape SpecialChar
highlight default link axleString String
highlight default link axleComment Comment
highlight default link axleDoc SpecialComment
let b:current_syntax = 'axle'
