/** Text as one word of bash or zsh, which do not interpret single-quoted text. */
export const quotePosix = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Text as one word of fish, in whose single quotes a backslash escapes itself and the quote. */
export const quoteFish = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** Text in a zsh completion spec, whose parts are separated by colons. */
export const escapeColons = (text: string): string => text.replaceAll(/[\\:]/g, '\\$&')

/** Text between the brackets of an option in a zsh completion spec. */
export const escapeBrackets = (text: string): string => text.replaceAll(/[\\:[\]]/g, '\\$&')
