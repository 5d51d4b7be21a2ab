import type { FastifyRequest } from 'fastify'

/** The value of a cookie as it was sent. */
export const cookieOf = ({ headers }: FastifyRequest, name: string): string | undefined =>
  headers.cookie
    ?.split('; ')
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1)
