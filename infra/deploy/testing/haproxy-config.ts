/** Where the proxy of a test listens, and whom it asks: what Compose says by names and mounts. */
export type ProxyPlaces = {
  outside: number
  inside: number
  alive: number
  /** Of `server NAME`, by name. */
  servers: Readonly<Record<string, number>>
  /** Its own certificate with the key, and the authority of the parts: files. */
  ownCertificate: string
  authority: string
}

/**
 * The configuration that is deployed, with other addresses and paths, and nothing else changed.
 * @throws Error where a line that names one is not as it was
 */
export const placedConfig = (deployed: string, places: ProxyPlaces): string => {
  const changes: [RegExp, string][] = [
    [/^ {2}bind :8443 (.*)crt \S+/m, `  bind 127.0.0.1:${places.outside} $1crt ${places.ownCertificate}`],
    [/^ {2}bind :8444 (.*)crt \S+/m, `  bind 127.0.0.1:${places.inside} $1crt ${places.ownCertificate}`],
    [/^ {2}bind 127\.0\.0\.1:8404$/m, `  bind 127.0.0.1:${places.alive}`],
    ...Object.entries(places.servers).map(([name, port]): [RegExp, string] => [
      new RegExp(`^  server (${name}(?:-unready)?) \\S+`, 'gm'),
      `  server $1 127.0.0.1:${port}`,
    ]),
  ]
  const placed = changes.reduce((text, [line, place]) => {
    if (!line.test(text)) throw new Error(`the configuration has no line like ${line.source}`)
    return text.replace(line, place)
  }, deployed)
  return placed.replaceAll('/run/tls/ca.pem', places.authority)
}
