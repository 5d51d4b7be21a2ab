import type { FastifyRequest } from 'fastify'

/** What programs ask: no page is there, whatever a browser would take. */
const forPrograms = /^\/(?:v1|dashboard-api|ping)(?:\/|$)/

/** Whether an answer is read by people: who takes pages, or posts a form to one. */
export const isForPeople = ({ method, url, headers }: FastifyRequest): boolean =>
  !forPrograms.test(url.split('?', 1)[0] ?? '') &&
  (method === 'POST' || (headers.accept ?? '').toLowerCase().includes('text/html'))

/** Whether the address is that of a page as Markdown, by its route. */
export const isMarkdown = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.url?.endsWith('.md') === true
