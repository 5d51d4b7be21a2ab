/** Of the gateways that a bench puts in front of the app. */
export const gatewayKey = 'the-gateway-key-of-the-bench-and-nobody'
