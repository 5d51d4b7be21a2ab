import { readFile } from 'node:fs/promises'

/**
 * Reads the certificate and private key of a server. A renewed certificate is read at the next start.
 * @param paths of PEM files; null: the server has none
 * @throws Error that names the unreadable file
 */
export const readCertificate = async (
  paths: { certificate: string; key: string } | null,
): Promise<{ cert: Buffer; key: Buffer } | null> =>
  paths === null
    ? null
    : {
        cert: await readPem('TLS_CERT', paths.certificate),
        key: await readPem('TLS_KEY', paths.key),
      }

const readPem = (name: string, path: string): Promise<Buffer> =>
  readFile(path).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${name} cannot be read: ${reason}`, { cause })
  })
