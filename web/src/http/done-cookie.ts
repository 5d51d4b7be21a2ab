import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseDone } from '../html/components/toast.ts'
import type { Done } from '../html/components/toast.ts'

const name = 'done'
/** Longer than a redirect takes, and short enough that an old act is not confirmed later. */
const maxAgeSeconds = 30
const attributes = 'Path=/dashboard; HttpOnly; SameSite=Lax'

/** Has the next page of the dashboard say what was done; the address stays as it is, and a reload says nothing. */
export const rememberDone = (reply: FastifyReply, { word, undo }: Done): void => {
  const value = encodeURIComponent(undo === null ? word : `${word} ${undo}`)
  reply.header('set-cookie', `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`)
}

/** What was done before this page, once: a page that a script fetches does not use it up. */
export const recallDone = (request: FastifyRequest, reply: FastifyReply): Done | null => {
  const mode = request.headers['sec-fetch-mode']
  const value = new RegExp(`(?:^|; )${name}=([^;]+)`).exec(request.headers.cookie ?? '')?.[1]
  if (value === undefined || (mode !== undefined && mode !== 'navigate')) return null
  reply.header('set-cookie', `${name}=; Max-Age=0; ${attributes}`)
  try {
    return parseDone(decodeURIComponent(value))
  } catch {
    return null
  }
}

const noteName = 'note'
/** Keeps a text of at most 800 characters for the next page of the dashboard, such as what a receiver answered. */
export const rememberNote = (reply: FastifyReply, note: string): void => {
  const value = Buffer.from(note).toString('base64url')
  reply.header('set-cookie', `${noteName}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`)
}

/** The text of the page before, once. It came back from a browser, so it is no more than text. */
export const recallNote = (request: FastifyRequest, reply: FastifyReply): string | null => {
  const value = new RegExp(`(?:^|; )${noteName}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1]
  if (value === undefined) return null
  reply.header('set-cookie', `${noteName}=; Max-Age=0; ${attributes}`)
  return Buffer.from(value, 'base64url').toString()
}
