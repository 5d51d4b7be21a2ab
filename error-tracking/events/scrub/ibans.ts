import { removedMark } from '../../contracts/removed.ts'

/** The length of an IBAN by country (ISO 13616 registry). */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
  FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
  LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24
  SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20`
    .split(/\s+/)
    .map((row) => [row.slice(0, 2), Number(row.slice(2))]),
)

const candidate = /(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?:[ -]?[0-9A-Z]){11,32}/gi

/** Removes IBANs with the length of their country and valid check digits. */
export const scrubIbans = (text: string): string =>
  text.replaceAll(candidate, (found) => {
    const length = lengths[found.slice(0, 2).toUpperCase()]
    if (length === undefined) return found
    const end = endOf(found, length)
    if (end === undefined || /^[0-9A-Za-z]/.test(found.slice(end))) return found
    return isIban(found.slice(0, end)) ? removedMark('iban') + found.slice(end) : found
  })

/** The position after `length` characters, without separators. */
const endOf = (text: string, length: number): number | undefined => {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] !== ' ' && text[index] !== '-') count++
    if (count === length) return index + 1
  }
  return undefined
}

/** ISO 7064, MOD 97-10. */
const isIban = (text: string): boolean => {
  const plain = text.replaceAll(/[ -]/g, '').toUpperCase()
  let rest = 0
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
