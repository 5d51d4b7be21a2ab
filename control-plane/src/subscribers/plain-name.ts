const charactersMax = 60

/** What mail programs make a link of, or what looks like one to a reader. */
const linkLike: readonly RegExp[] = [
  // any scheme, and the addresses of mail and telephones
  /[\p{L}\p{N}+.-]*:\s*\/\/\S*/giu,
  /\b(?:mailto|tel|sms|callto|skype|javascript|data):\S*/giu,
  /\S*@\S*/gu,
  /\bwww\d*\.\S*/giu,
  // a name with a top-level domain, with whatever path follows; numbers such as 2.5 stay
  /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.(?:\p{L}[\p{L}\p{N}-]+|xn--[\p{L}\p{N}-]+)\S*/giu,
  /\d{1,3}(?:\.\d{1,3}){3}\S*/gu,
  // a telephone number: seven digits or more
  /\+?\d(?:[\s()./-]*\d){6,}/gu,
]

/** Dots of other scripts, which names of hosts may be written with (RFC 3490 3.1). */
const otherDots = /[\u3002\uff0e\uff61\u2024\ufe52]/gu

/** Nothing that is seen, or that turns the order of what is. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu

/**
 * A name that an account chose, as it may stand in a mail to people who never asked the account for
 * one: one line of at most 60 characters in which no mail program finds a link. Pure.
 * @param fallback what stands there where nothing is left
 */
export const plainName = (name: string, fallback: string): string => {
  let text = name
    .toWellFormed()
    .normalize('NFKC')
    .replace(otherDots, '.')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(unseen, '')
  // what is cut may leave another link: until nothing is found any more
  for (let before = ''; before !== text;) {
    before = text
    for (const pattern of linkLike) text = text.replace(pattern, ' ')
  }
  const line = [...text.replace(/\s+/gu, ' ').trim()].slice(0, charactersMax).join('').trim()
  return line === '' ? fallback : line
}
