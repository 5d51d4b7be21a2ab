import { receiversOf, secretsOfRequest } from '@probe-mesh/contracts/check/request-options'
import { requestOfStep } from '@probe-mesh/contracts/check/step'
import type { StoredConfig } from './check-record.ts'

/** One host that a request of a check gives its secrets to, as a URL, and the field of the request's URL. */
export type SecretUse = { path: string; url: string; names: readonly string[] }

/** The requests of a check that use secrets. */
export const secretUses = ({ url, config }: { url: string | null; config: StoredConfig }): SecretUse[] =>
  requestsOf({ url, config }).flatMap(({ path, url: to, request }) => {
    const names = secretsOfRequest(request)
    return names.length === 0
      ? []
      : receiversOf(to, request).map((receiver) => ({ path, url: receiver, names }))
  })

/** The names of the secrets that a check uses, sorted. */
export const secretNamesOf = (check: { url: string | null; config: StoredConfig }): string[] =>
  [...new Set(secretUses(check).flatMap(({ names }) => names))].toSorted()

const requestsOf = ({ url, config }: { url: string | null; config: StoredConfig }) => {
  if (config.type === 'http') {
    return config.request === undefined ? [] : [{ path: 'url', url: url ?? '', request: config.request }]
  }
  if (config.type !== 'multistep') return []
  return config.steps.flatMap((step, index) =>
    step.options === undefined
      ? []
      : [{ path: `steps[${index}].url`, url: step.url, request: requestOfStep(step) }],
  )
}
