import type { Http2Session } from 'node:http2'
import type { Message } from './fields.ts'
import { calls, type ProviderHandlers } from './messages.ts'
import { MalformedMessage } from './raw.ts'
import { CallFailed, status, type Method } from './server.ts'

/** One call of the provider's service without its types: the table of messages guarantees that they match. */
type AnyCall = { request: Message<unknown, never>; response: Message<unknown, unknown> }
type AnyHandler = (request: unknown, call: { signal: AbortSignal }) => Promise<unknown>

const methodOf = ({ request, response }: AnyCall, handler: AnyHandler): Method => ({
  answer: async (message, signal) => response.encode(await handler(decode(request, message), { signal })),
})

const decode = (request: AnyCall['request'], message: Uint8Array): unknown => {
  try {
    return request.decode(message)
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error
    throw new CallFailed(status.internal, `the message is malformed: ${error.message}`)
  }
}

/**
 * The methods that Terraform calls: the provider's service, and the shutdown of the process. The stdio and
 * broker services of plugins and all other calls are UNIMPLEMENTED.
 *
 * @param shutdown called when the response to it is sent
 */
export const createMethods = (
  handlers: ProviderHandlers,
  shutdown: (session: Http2Session | undefined) => void,
): ReadonlyMap<string, Method> => {
  const methods = new Map<string, Method>([
    [
      '/plugin.GRPCController/Shutdown',
      { answer: () => Promise.resolve(Buffer.alloc(0)), answered: shutdown },
    ],
  ])
  for (const [name, call] of Object.entries(calls)) {
    const path = `/tfplugin6.Provider/${name.charAt(0).toUpperCase()}${name.slice(1)}`
    methods.set(path, methodOf(call as AnyCall, handlers[name as keyof typeof calls] as AnyHandler))
  }
  return methods
}
