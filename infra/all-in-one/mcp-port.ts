const portDefault = 8081

/** `MCP_PORT`, where the gateway listens: it goes into credentials.json. */
export const parseMcpPort = (
  environment: Readonly<Record<string, string | undefined>>,
): { ok: true; port: number } | { ok: false; problems: string[] } => {
  const text = environment['MCP_PORT']?.trim() ?? ''
  if (text === '') return { ok: true, port: portDefault }
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port <= 65_535
    ? { ok: true, port }
    : { ok: false, problems: [`MCP_PORT must be a number from 0 to 65535, not ${text}`] }
}
