/** Text as one word of bash or zsh, which take all between single quotes as it is. */
export const quotePosix = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Text as one word of fish, in whose single quotes a backslash escapes itself and the quote. */
export const quoteFish = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** Text in a specification of zsh, whose parts are set off by colons. */
export const escapeColons = (text: string): string => text.replaceAll(/[\\:]/g, '\\$&')

/** Text between the brackets of an option's specification of zsh. */
export const escapeBrackets = (text: string): string => text.replaceAll(/[\\:[\]]/g, '\\$&')
