import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { networkInterfaces } from 'node:os'

/** An address of this machine that is not its loopback, which no proxy is used for; undefined: it has none. */
export const outsideAddress = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

/** Passes requests of a server in front of the API on to it. */
export const passTo =
  (apiUrl: string) =>
  (asked: IncomingMessage, answer: ServerResponse): void => {
    const { host, origin } = new URL(apiUrl)
    const options = { method: asked.method, headers: { ...asked.headers, host } }
    const onward = request(`${origin}${asked.url}`, options, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    answer.on('close', () => onward.destroy())
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  }
