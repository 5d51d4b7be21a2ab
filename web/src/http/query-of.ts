import type { FastifyRequest } from 'fastify'

/** What an address asks for, names that come several times included. */
export const queryOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(url.split('?').slice(1).join('?'))
