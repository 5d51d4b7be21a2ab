import type { Ask } from '../api/ask.ts'
import type { z } from 'zod'
import type { AskPublic } from '../api/ask-public.ts'
import type { Member, Outcome, PageRequest } from './outcome.ts'

export type Asking = { ask: Ask }

/** A page for anybody. */
export type PlainRoute = {
  method: 'GET' | 'POST'
  path: string
  serve(request: PageRequest & Asking): Promise<Outcome>
}

/** Reads a note; null where there is none of that schema. */
export type RecallNote = <T>(schema: z.ZodType<T>) => T | null

type MemberMeans = {
  askPublic: AskPublic
  /** The `note` of the outcome before, once. */
  recallNote: RecallNote
}

/** A page for who is logged in; everybody else is asked to log in first. */
export type MemberRoute = {
  method: 'GET' | 'POST'
  path: string
  /** Of what is posted, where it is not a usual form. */
  bodyBytesMax?: number
  serve(request: PageRequest & Asking & Member & MemberMeans): Promise<Outcome>
}
