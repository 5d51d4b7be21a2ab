import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import type { Act } from '../web/system/client.ts'

/** A target that answers 500 with all that it gets, as plain text, base64, hex and as URLs and JSON write it. */
export const startEcho = async (): Promise<{ url: string; seen: string[]; close(): void }> => {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const all = [...request.rawHeaders, await text(request)].join('\n')
    seen.push(all)
    const key = String(request.headers['x-api-key'])
    const forms = ['base64', 'base64url', 'hex'] as const
    const body = [key, encodeURIComponent(key), ...forms.map((form) => Buffer.from(key).toString(form)), all]
    response.writeHead(500, { 'x-echo': key, 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, seen, close }
}

/** How long the target takes that wants a key and a body. */
export const slowMs = 6_000

/** A target that answers 200 after 6 s to a POST with the key in a header and the other one in its body, else 403. */
export const startSlow = async (keys: { header: string; body: string }) => {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const isWanted = request.method === 'POST' && request.headers['x-api-key'] === keys.header
    const isRight = isWanted && body === JSON.stringify({ key: keys.body })
    if (isRight) await setTimeout(slowMs)
    response.writeHead(isRight ? 200 : 403).end(isRight ? `welcome ${keys.header}` : 'no')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, close }
}

/** Types a credential into the form of a check, tries it and saves it. @returns its readings from all regions */
export const plantTyped = async (asUser: Act, url: string, typed: string) => {
  const body = {
    type: 'http',
    name: 'slow',
    url,
    intervalSeconds: 300,
    timeoutSeconds: 20,
    request: {
      method: 'POST',
      headers: [{ name: 'X-Api-Key', value: typed }],
      body: '{"key":"{{ secret.check_key }}"}',
      contentType: 'application/json',
    },
  } as const
  const trial = await asUser('tryCheck', { body })
  const { id } = await asUser('createTypedCheck', { body })
  const { readings } = await asUser('runCheck', { params: { id } })
  const config = await asUser('getCheckConfig', { params: { id } })
  return { id, trial, readings, config }
}

/** A check that sends a secret in each way to a target. @param others more targets of the secret @returns its id */
export const plantRequest = async (
  asUser: Act,
  url: string,
  value: string,
  ...others: readonly string[]
): Promise<string> => {
  const hosts = [url, ...others].map((each) => new URL(each).origin)
  await asUser('createSecret', { body: { name: 'check_key', value, hosts } })
  const reference = '{{ secret.check_key }}'
  const step = {
    name: 'order',
    method: 'POST',
    url,
    body: JSON.stringify({ key: reference }),
    contentType: 'application/json',
    options: {
      headers: [{ name: 'X-Api-Key', value: reference }],
      auth: { type: 'basic', username: 'monitor', password: reference },
    },
  } as const
  const body = { type: 'multistep', name: 'echo', intervalSeconds: 60, steps: [step] } as const
  const { id } = await asUser('createTypedCheck', { body })
  return id
}
