import type { FastifyRequest } from 'fastify'

/** Paths of programs; they have no pages, whatever a browser accepts. */
const forPrograms = /^\/(?:v1|dashboard-api|ping)(?:\/|$)/

/** Whether people read the answer: the client accepts pages, or posts a form to one. */
export const isForPeople = ({ method, url, headers }: FastifyRequest): boolean =>
  !forPrograms.test(url.split('?', 1)[0] ?? '') &&
  (method === 'POST' || (headers.accept ?? '').toLowerCase().includes('text/html'))

/** Whether the route of the address serves a page as Markdown. */
export const isMarkdown = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.url?.endsWith('.md') === true
