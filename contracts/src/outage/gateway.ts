import { matching } from '@probe-mesh/runtime/setting'

// The protocol between gateway and control plane, besides routes.

/** The credential of a gateway, `GATEWAY_KEY`. */
export const gatewayKeyHeader = 'gateway-key'
/** The IP address of the gateway's client. */
export const gatewayClientHeader = 'gateway-client'
/** Below `{api_url}`. Admits a call that uses no route. */
export const admissionPath = '/gateway/admission'

/** The text in `/readyz` of a gateway for a control plane with another key. */
export const gatewayRefused =
  'it refuses this gateway: set the GATEWAY_KEY of the control planes on the gateway'

/** `GATEWAY_KEY`. Only characters that a header field allows. */
export const gatewayKey = matching(
  'text, at least 32 characters',
  /^[\x21-\x7e]{32,}$/,
  'must have at least 32 characters, all of them visible ASCII',
)
