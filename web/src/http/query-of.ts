import type { FastifyRequest } from 'fastify'

/** The query of an address, including repeated names. */
export const queryOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(url.split('?').slice(1).join('?'))
