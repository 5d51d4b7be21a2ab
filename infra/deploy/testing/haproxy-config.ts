/** The addresses and files of a test's proxy, in place of the names and mounts of Compose. */
export type ProxyPlaces = {
  outside: number
  inside: number
  alive: number
  /** The ports of `server NAME`, by name. */
  servers: Readonly<Record<string, number>>
  /** Files: its own certificate with the key, and the authority of the parts. */
  ownCertificate: string
  authority: string
}

/**
 * Returns the deployed configuration with other addresses and paths only.
 * @throws Error if an expected line is missing
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
