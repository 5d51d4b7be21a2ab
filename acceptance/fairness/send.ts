import { request } from 'node:http'

export type Sent = { status: number; headers: Record<string, string>; text: string }

/**
 * Sends one request on a new connection. @param from the source address, one of this machine: unrelated
 * accounts use different networks
 */
export const send = (
  url: string,
  options: {
    method?: string
    headers?: Record<string, string>
    body?: string | Uint8Array
    from?: string
    signal?: AbortSignal
  } = {},
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body, from, signal } = options
    const sending = request(
      url,
      {
        method,
        headers,
        agent: false,
        ...(from === undefined ? {} : { localAddress: from }),
        ...(signal === undefined ? {} : { signal }),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
            ),
            text: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    sending.once('error', reject)
    sending.end(body)
  })
