/** By which a server proves itself: the certificate with its chain, and its key, in PEM. */
export type Certificate = { cert: Buffer; key: Buffer }

/**
 * What makes Fastify's server one of TLS 1.2 or later. To its users it is the same, which is why the
 * option is named like that of the other kind.
 * @param certificate null: a server without TLS
 */
export const byTls = (certificate: Certificate | null): { http?: object } =>
  certificate === null
    ? {}
    : ({ https: { ...certificate, minVersion: 'TLSv1.2' } } as { http?: object })
