; SPDX-License-Identifier: GPL-2.0
;
; One function of ISA-L (the file MQR_SOURCE), assembled by the kernel's rules:
;
;   MQR_RETHUNK   return through the kernel's return thunk
;   MQR_SLS       let no speculation run past a return
;   MQR_PADDING   bytes of nop before the function, which call depth tracking
;                 may overwrite
;
; and with its size in the symbol table, so that stack traces and objtool know
; where it ends.

; It guards against being included twice, so what we replace stays replaced.
%include "reg_sizes.asm"

%unmacro mk_global 1-3
%macro mk_global 1-3
	times MQR_PADDING nop
	global %1:%2 (mqr_isal_end - %1)
%endmacro

%ifdef MQR_RETHUNK
extern __x86_return_thunk
%endif

; A macro isn't expanded inside itself: the inner ret is the instruction.
%macro ret 0
%ifdef MQR_RETHUNK
	jmp	__x86_return_thunk
%else
	ret
%endif
%ifdef MQR_SLS
	int3
%endif
%endmacro

%include MQR_SOURCE

section .text
mqr_isal_end:
