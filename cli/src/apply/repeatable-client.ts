import { createHash } from 'node:crypto'
import { createApiClient, type ApiClient } from '@probe-mesh/contracts/api/client'
import type { Exchange } from '@probe-mesh/contracts/api/route-client'

/** A client whose calls may all be repeated: every POST has an `Idempotency-Key`. */
export type RepeatableClient = ApiClient & { readonly repeatable: true }

/**
 * A client for one run.
 * @param options.runId unique per run, visible ASCII, up to 100 characters. Names are unique in a
 *   file, so the same POST is repeated within a run only after a lost answer
 */
export const createRepeatableClient = (
  options: Parameters<typeof createApiClient>[0] & { runId: string },
): RepeatableClient => {
  const { runId, ...rest } = options
  const send: Exchange = options.fetch ?? fetch
  const client = createApiClient({
    ...rest,
    fetch: (url, request) => {
      if (request.method !== 'POST') return send(url, request)
      const key = `${runId}-${digestOf(`${url.pathname} ${request.body}`)}`
      return send(url, { ...request, headers: { ...request.headers, 'idempotency-key': key } })
    },
  })
  return { ...client, repeatable: true }
}

const digestOf = (sent: string): string => createHash('sha256').update(sent).digest('base64url')
