const charactersMax = 60

/** Texts that mail programs turn into links, or that look like links to a reader. */
// bounded: a name has at most 200 characters
const linkLike: readonly RegExp[] = [
  // any scheme, mail addresses and telephone links
  /[\p{L}\p{N}+.-]*:\s*\/\/\S*/giu,
  /\b(?:mailto|tel|sms|callto|skype|javascript|data):\S*/giu,
  /\S*@\S*/gu,
  /\bwww\d*\.\S*/giu,
  // a host name with a top-level domain and any path; numbers such as 2.5 stay
  /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.(?:\p{L}[\p{L}\p{N}-]+|xn--[\p{L}\p{N}-]+)\S*/giu,
  /\d{1,3}(?:\.\d{1,3}){3}\S*/gu,
  // a telephone number: seven digits or more
  /\+?\d(?:[\s()./-]*\d){6,}/gu,
]

/** Dots of other scripts that host names may contain (RFC 3490 3.1). */
const otherDots = /[\u3002\uff0e\uff61\u2024\ufe52]/gu

/** Invisible characters, and characters that change the text direction. */
const invisible = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu

/**
 * Cleans a name that an account chose for a mail to people who may not know the account: one line of at most
 * 60 characters in which no mail program finds a link.
 * @param fallback used when nothing is left
 */
export const plainName = (name: string, fallback: string): string => {
  let text = name
    .toWellFormed()
    .normalize('NFKC')
    .replace(otherDots, '.')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(invisible, '')
  // a removal may form another link: repeat until none is found
  for (let before = ''; before !== text;) {
    before = text
    for (const pattern of linkLike) text = text.replace(pattern, ' ')
  }
  const line = [...text.replace(/\s+/gu, ' ').trim()].slice(0, charactersMax).join('').trim()
  return line === '' ? fallback : line
}
