import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { parseDone, type Done } from '../html/components/toast.ts'
import { cookieValue } from '@probe-mesh/runtime/headers'

const name = 'done'
/** Longer than a redirect, and short enough that an old action is not confirmed later. */
const maxAgeSeconds = 30
const attributes = 'Path=/dashboard; HttpOnly; SameSite=Lax'

/** The next page of the dashboard shows the confirmation once; the address does not change. */
export const rememberDone = (reply: FastifyReply, { word, undo }: Done): void => {
  const value = encodeURIComponent(undo === null ? word : `${word} ${undo}`)
  reply.header('set-cookie', `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`)
}

/** The action before this page, once. A page that a script fetches does not consume it. */
export const recallDone = (request: FastifyRequest, reply: FastifyReply): Done | null => {
  const mode = request.headers['sec-fetch-mode']
  const value = cookieValue(request.headers.cookie, name)
  if (value === undefined || (mode !== undefined && mode !== 'navigate')) return null
  reply.header('set-cookie', `${name}=; Max-Age=0; ${attributes}`)
  try {
    return parseDone(decodeURIComponent(value))
  } catch {
    return null
  }
}

const noteName = 'note'
/** Stores a note for the next page at one path. */
export const rememberNote = (reply: FastifyReply, { path, note }: { path: string; note: unknown }): void => {
  const value = Buffer.from(JSON.stringify(note)).toString('base64url')
  reply.header('set-cookie', `${noteName}=${value}; Max-Age=${maxAgeSeconds}; ${noteAttributes(path)}`)
}

/**
 * The note of the last action, once; null if it does not match the schema, since a browser can send anything.
 */
export const recallNote = <T>(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  schema: z.ZodType<T>,
): T | null => {
  const value = cookieValue(request.headers.cookie, noteName)
  if (value === undefined) return null
  const path = request.url.split('?')[0] ?? '/'
  reply.header('set-cookie', `${noteName}=; Max-Age=0; ${noteAttributes(path)}`)
  try {
    return schema.safeParse(JSON.parse(Buffer.from(value, 'base64url').toString())).data ?? null
  } catch {
    return null
  }
}

const noteAttributes = (path: string): string => `Path=${path}; HttpOnly; Secure; SameSite=Strict`
