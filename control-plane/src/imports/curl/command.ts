import type { Extra } from '../draft/http-check-of.ts'
import type { PlainRequest } from '../draft/credentials.ts'
import { createNotes, type Notes } from '../draft/notes.ts'
import type { AskedAddress } from '../draft/other-address.ts'

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
  addresses: AskedAddress[]
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
  addresses: [],
  extra: {},
  notes: createNotes(),
  problems: [],
})
