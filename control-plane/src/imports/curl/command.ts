import type { Extra } from '../draft/http-check-of.ts'
import type { PlainRequest } from '../draft/credentials.ts'
import { createNotes, type Notes } from '../draft/notes.ts'

/** What the options of one command say, in order. */
export type Command = {
  urls: string[]
  method: string | null
  isGet: boolean
  isHead: boolean
  isJson: boolean
  isGlobOff: boolean
  followsRedirects: boolean
  /** Of `-H`. null: the command removes curl's own header of this name. */
  headers: [name: string, value: string | null][]
  /** Of other options: a header of `-H` goes before it. */
  ownHeaders: Map<string, string>
  data: string[]
  query: string[]
  cookies: string[]
  basic: PlainRequest['basic']
  /** The values of these options, in order. */
  connectTo: string[]
  resolve: string[]
  /** Of `--pinnedpubkey`; the last counts. */
  pins: string[]
  extra: Extra
  notes: Notes
  problems: string[]
}

export const emptyCommand = (): Command => ({
  urls: [],
  method: null,
  isGet: false,
  isHead: false,
  isJson: false,
  isGlobOff: false,
  followsRedirects: false,
  headers: [],
  ownHeaders: new Map(),
  data: [],
  query: [],
  cookies: [],
  basic: null,
  connectTo: [],
  resolve: [],
  pins: [],
  extra: {},
  notes: createNotes(),
  problems: [],
})
