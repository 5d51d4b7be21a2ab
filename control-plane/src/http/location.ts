import { apiPrefix, type Route } from '@probe-mesh/contracts/schema/route'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A hook `onSend` that tells where the created resource is, also in the answer to a repeated request. */
export const locationHook =
  ({ location, success }: Pick<Route, 'location' | 'success'>) =>
  (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload?: unknown) => void,
  ): void => {
    if (location !== undefined && reply.statusCode === success && typeof payload === 'string') {
      reply.header('location', apiPrefix + filled(location, request.params as object, JSON.parse(payload)))
    }
    done(null, payload)
  }

/** `:id` is the parameter of the request; `:id` that is no parameter, and `:agent.id`, are of the answer. */
const filled = (template: string, params: object, answer: object): string =>
  template.replace(/:(\$?)([\w.]+)/g, (_, ofAnswer: string, name: string) =>
    encodeURIComponent(String(valueAt(ofAnswer === '' ? params : answer, name.split('.')))),
  )

const valueAt = (from: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)[key], from)
