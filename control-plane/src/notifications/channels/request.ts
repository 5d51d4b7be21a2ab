/** A text that a receiver takes to so many characters only; what is left out shows. */
export const cut = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`

/** Names and reasons come from outside: they are shown as they are, never as Markdown. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~|<>[\]()#]/g, '\\$&')
