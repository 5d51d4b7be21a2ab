import type { MailMessage } from '../message.ts'

/** A mail as the transport takes it: addresses as objects, so that none is read as several. */
export type Letter = {
  from: { name: string; address: string }
  to: { name: string; address: string }
  messageId: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/**
 * A message as a mail. Its Message-ID is the delivery's id and stays at every try, so that a mailbox
 * that has it can tell; `Auto-Submitted` keeps vacation notices from answering (RFC 3834), and
 * one-click unsubscribing is RFC 8058.
 */
export const letterOf = (
  { id, recipient, message }: { id: string; recipient: string; message: MailMessage },
  from: Sender,
): Letter => ({
  from,
  to: { name: '', address: recipient },
  messageId: `<${id}@${from.address.split('@').at(-1)}>`,
  subject: message.subject.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(),
  text: message.text,
  html: message.html,
  headers: {
    'Auto-Submitted': 'auto-generated',
    ...(message.unsubscribeUrl === undefined
      ? {}
      : {
          'List-Unsubscribe': `<${new URL(message.unsubscribeUrl).href}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
  },
})

export type Sender = { name: string; address: string }

/** One address: no list, no comment, nothing that a header or an SMTP command would read on. */
const address = /^[^\s@<>(),;:"\\[\]\p{Cc}]{1,64}@[^\s@<>(),;:"\\[\]\p{Cc}]{1,255}$/u

/** `status@example.org` or `Status of Acme <status@example.org>`; null for what is neither. */
export const parseSender = (text: string): Sender | null => {
  const named = /^"?([^"<>\p{Cc}]*?)"?\s*<([^<>]+)>$/u.exec(text)
  const sender =
    named === null
      ? { name: '', address: text }
      : { name: (named[1] ?? '').trim(), address: named[2] ?? '' }
  return isAddress(sender.address) ? sender : null
}

export const isAddress = (text: string): boolean => address.test(text)
