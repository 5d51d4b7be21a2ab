/**
 * A first check from one field. People type `example.org`: without a scheme, https is assumed. The API
 * decides whether the address may be probed.
 */
export const firstCheckOf = (typed: string): { name: string; url: string } => {
  const text = typed.trim()
  const url = text === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  const name = URL.canParse(url) ? new URL(url).hostname : ''
  return { name: name === '' ? 'First check' : name, url }
}
