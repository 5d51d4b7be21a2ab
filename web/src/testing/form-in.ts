/**
 * The data that a browser would send for the unchanged last form of a page, without a button: fields in
 * order, ticked boxes only, line breaks of text areas as CR LF.
 */
export const formIn = (raw: string): [string, string][] => {
  const form = raw.slice(raw.lastIndexOf('<form'), raw.lastIndexOf('</form>'))
  const pattern = /<input([^>]*)>|<textarea([^>]*)>\n?([^<]*)<\/textarea>|<select([^>]*)>(.*?)<\/select>/gs
  return [...form.matchAll(pattern)].flatMap(([, input, area, text = '', select, options = '']) => {
    const attributes = input ?? area ?? select ?? ''
    const name = valueOf(attributes, 'name') ?? ''
    if (area !== undefined) return [[name, decode(text).replace(/\r?\n/g, '\r\n')]]
    if (select !== undefined) return [[name, chosen(options)]]
    const isBox = /type="(checkbox|radio)"/.test(attributes)
    if (isBox && !/\schecked\b/.test(attributes)) return []
    return [[name, valueOf(attributes, 'value') ?? (isBox ? 'on' : '')]]
  })
}

const chosen = (options: string): string => {
  const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, attributes = '']) => attributes)
  return valueOf(all.find((each) => /\sselected\b/.test(each)) ?? all[0] ?? '', 'value') ?? ''
}

const valueOf = (attributes: string, name: string): string | null => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? null : decode(value)
}

const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (sign) => signs[sign] ?? sign)

const signs: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
