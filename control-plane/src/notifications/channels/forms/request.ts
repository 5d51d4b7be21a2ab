import type { ChannelMessage } from './message.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

/** One POST to a receiver. */
export type ChannelRequest = {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** A message to send. Its id is the same at every attempt, so that receivers recognise repeats. */
export type OutgoingMessage = { id: string; message: ChannelMessage; nowMs: number }

/** Shortens a text to the limit of a receiver, with an ellipsis. */
export const truncate = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`

/** Names and reasons come from outside: they are shown literally, never as Markdown. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~|<>[\]()#]/g, '\\$&')

/** The root of an API without what may follow it, so that paths can be added. */
export const rootOf = (url: string): string => withoutEnd(url.replace(/[?#].*/s, ''), '/')
