import type { ChannelMessage } from '../message.ts'

/** One POST, ready to go out. */
export type Form = { url: string; headers: Readonly<Record<string, string>>; body: string }

/** A message on its way: its id stays the same at every try, so that receivers can tell. */
export type Sending = { id: string; message: ChannelMessage; nowMs: number }

/** A text that a receiver takes to so many characters only; what is left out shows. */
export const cut = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`

/** Names and reasons come from outside: they are shown as they are, never as Markdown. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~|<>[\]()#]/g, '\\$&')
