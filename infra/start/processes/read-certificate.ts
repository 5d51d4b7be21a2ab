import { readFile } from 'node:fs/promises'

/**
 * The certificate and the key by which a server proves itself, as they are now: one that is renewed
 * is read at the next start.
 * @param paths of PEM files; null: the server has none
 * @throws Error that names the file that cannot be read
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
