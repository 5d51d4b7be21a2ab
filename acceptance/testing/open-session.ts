/** The headers of a browser for requests from our pages. */
export const fromOwnPages = (address: string): Record<string, string> => ({
  'sec-fetch-site': 'same-origin',
  origin: address,
})

/** Logs a user in. @param address root of the service's pages @returns the session's cookie */
export const openSession = async (
  address: string,
  { email, password }: { email: string; password: string },
): Promise<string> => {
  const answer = await fetch(`${address}/dashboard-api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fromOwnPages(address) },
    body: JSON.stringify({ email, password }),
  })
  if (!answer.ok) throw new Error(`login failed: ${await answer.text()}`)
  const [cookie = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')
  return cookie
}
