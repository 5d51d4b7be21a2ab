import { matching } from '@probe-mesh/runtime/setting'

/** What a gateway and the control plane say to one another besides routes, over HTTP. */

/** The credential of a gateway, `GATEWAY_KEY`. */
export const gatewayKeyHeader = 'gateway-key'
/** The IP address of whoever asks the gateway. */
export const gatewayClientHeader = 'gateway-client'
/** Below `{api_url}`: whether a caller may go on where no route is called. */
export const admissionPath = '/gateway/admission'

/** What `/readyz` of a gateway says of a control plane that has another key. */
export const gatewayRefused =
  'it refuses this gateway: set the GATEWAY_KEY of the control planes on the gateway'

/** `GATEWAY_KEY`. It is sent in a header field, so not every character may be in it. */
export const gatewayKey = matching(
  'text, at least 32 characters',
  /^[\x21-\x7e]{32,}$/,
  'must have at least 32 characters, all of them visible ASCII',
)
