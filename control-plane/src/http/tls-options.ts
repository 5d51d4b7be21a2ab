/** A server's certificate with its chain, and its private key, in PEM. */
export type Certificate = { cert: Buffer; key: Buffer }

/**
 * Fastify's options for a server with TLS 1.2 or later. The result has the type of a server without TLS, so that
 * callers need no second type.
 * @param certificate null: without TLS
 */
export const tlsOptions = (certificate: Certificate | null): { http?: object } =>
  certificate === null ? {} : ({ https: { ...certificate, minVersion: 'TLSv1.2' } } as { http?: object })
