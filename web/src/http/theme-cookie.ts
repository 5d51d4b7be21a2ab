import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseTheme, type Theme } from '../html/theme.ts'
import { cookieValue } from '@probe-mesh/runtime/headers'

const name = 'theme'
const yearSeconds = 31_536_000

/** The theme of this browser. The cookie is only sent to the dashboard, whose pages are not cached. */
export const themeOf = (request: FastifyRequest): Theme =>
  parseTheme(cookieValue(request.headers.cookie, name)) ?? 'system'

export const rememberTheme = (reply: FastifyReply, theme: Theme): void => {
  const maxAge = theme === 'system' ? 0 : yearSeconds
  const value = theme === 'system' ? '' : theme
  reply.header('set-cookie', `${name}=${value}; Max-Age=${maxAge}; Path=/dashboard; HttpOnly; SameSite=Lax`)
}
