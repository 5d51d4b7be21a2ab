import { hash } from 'node:crypto'
import type { CodedText } from './compress.ts'

/** An answer that is sent more than once, with what would be computed each time. */
export type AnswerText = {
  readonly json: string
  /** With its quotes, without `W/`. */
  readonly etag: string
  /** Its bytes in each coding that a client asked for. */
  readonly coded: CodedText
}

/** @param etag of exactly this text; absent: its hash */
export const answerText = (json: string, etag: string = etagOf(json)): AnswerText => ({
  json,
  etag,
  coded: new Map(),
})

/** The ETag of a text, with its quotes. Every process gives the same. */
export const etagOf = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
