import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { Endpoint } from '@probe-mesh/contracts/api/tools'
import type { IncomingHttpHeaders } from 'node:http'
import type { HttpAnswer } from './json-rpc.ts'
import { answerLegacy, createSdkServer, modernHandler } from './sdk-server.ts'
import type { RunTool } from './sdk-server.ts'

/** Answers a POST by the SDK, of whichever era it is. */
export const answerBySdk = async (
  endpoint: Endpoint,
  { headers, body }: { headers: IncomingHttpHeaders; body: unknown },
  run: RunTool,
): Promise<HttpAnswer> => {
  const request = new Request(`http://gateway/${endpoint}`, {
    method: 'POST',
    headers: headersOf(headers),
  })
  const server = () => createSdkServer(endpoint, run)
  if (await isLegacyRequest(request, body)) {
    return toAnswer(await answerLegacy(server(), request, body))
  }
  const handler = modernHandler(server)
  try {
    return await toAnswer(await handler.fetch(request, { parsedBody: body }))
  } finally {
    await handler.close()
  }
}

const toAnswer = async (response: Response): Promise<HttpAnswer> => {
  const body = await response.text()
  return { status: response.status, body: body === '' ? null : body }
}

/** What the SDK reads; no key, and nothing of the connection. */
const read = ['accept', 'content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version'] as const

const headersOf = (headers: IncomingHttpHeaders): Headers => {
  const own = new Headers()
  for (const name of read) {
    const value = headers[name]
    if (typeof value === 'string') own.set(name, value)
  }
  return own
}
