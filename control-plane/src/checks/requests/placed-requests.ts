import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { requestOfStep } from '@probe-mesh/contracts/check/step'

/** One request of a check, and where the API has its fields. */
export type PlacedRequest = {
  /** The index of its step; null for an http check. */
  step: number | null
  url: string
  bodyPath: string
  /** Before the fields of its options. */
  optionsPath: string
  request: HttpRequest
}

/** The requests of a check in order; none for a type that sends no request of its own. */
export const placedRequests = (check: { url: string | null; config: CheckConfig }): PlacedRequest[] => {
  const { url, config } = check
  if (config.type === 'http') {
    const paths = { bodyPath: 'request.body', optionsPath: 'request' }
    return [{ step: null, url: url ?? '', request: config.request ?? {}, ...paths }]
  }
  if (config.type !== 'multistep') return []
  return config.steps.map((step, index) => ({
    step: index,
    url: step.url,
    request: requestOfStep(step),
    bodyPath: `steps[${index}].body`,
    optionsPath: `steps[${index}].options`,
  }))
}

/** The config with these requests instead, without what says no more than its absence. */
export const withRequests = (config: CheckConfig, requests: readonly HttpRequest[]): CheckConfig => {
  if (config.type === 'http') {
    const { request: _former, ...others } = config
    const request = withoutDefaults(requests[0] ?? {})
    return Object.keys(request).length === 0 ? others : { ...others, request }
  }
  if (config.type !== 'multistep') return config
  const steps = config.steps.map((step, index) => {
    const { options: _former, ...others } = step
    const { method: _method, body, contentType: _type, ...given } = requests[index] ?? {}
    const options = withoutDefaults(given)
    // an older agent sends the body of a step without options as it is
    const isPlain = Object.keys(options).length === 0 && !/\{\{\s*secret\./.test(body ?? '')
    return isPlain ? others : { ...others, options }
  })
  return { ...config, steps }
}

const withoutDefaults = <R extends HttpRequest>(request: R): R =>
  Object.fromEntries(
    Object.entries(request).filter(
      ([name, value]) =>
        value !== undefined &&
        !(name === 'method' && value === 'GET') &&
        !(name === 'headers' && Array.isArray(value) && value.length === 0) &&
        !(name === 'body' && value === '') &&
        !(name === 'redirects' && value === 'follow') &&
        !(name === 'sendTrace' && value === false),
    ),
  ) as R
