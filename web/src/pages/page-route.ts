import type { Ask } from '../api/ask.ts'
import type { z } from 'zod'
import type { AskPublic } from '../api/ask-public.ts'
import type { Member, Outcome, PageRequest } from './outcome.ts'

export type Asking = { ask: Ask }

/** A page without a login. */
export type PlainRoute = {
  method: 'GET' | 'POST'
  path: string
  serve(request: PageRequest & Asking): Promise<Outcome>
}

/** Reads a note; null if it does not match the schema. */
type RecallNote = <T>(schema: z.ZodType<T>) => T | null

type MemberMeans = {
  askPublic: AskPublic
  /** The `note` of the outcome before, once. */
  recallNote: RecallNote
}

/** A page for logged-in members; other visitors log in first. */
export type MemberRoute = {
  method: 'GET' | 'POST'
  path: string
  /** The body limit, if it is not the default. */
  bodyBytesMax?: number
  serve(request: PageRequest & Asking & Member & MemberMeans): Promise<Outcome>
}

/** A page that only reads. */
export const get = (path: string, serve: MemberRoute['serve']): MemberRoute => ({
  method: 'GET',
  path,
  serve,
})

/** A form that was sent. */
export const post = (path: string, serve: MemberRoute['serve']): MemberRoute => ({
  method: 'POST',
  path,
  serve,
})

/** The same, for visitors without a login. */
export const plainGet = (path: string, serve: PlainRoute['serve']): PlainRoute => ({
  method: 'GET',
  path,
  serve,
})
export const plainPost = (path: string, serve: PlainRoute['serve']): PlainRoute => ({
  method: 'POST',
  path,
  serve,
})
