import { expect, test } from 'vitest'
import { calledName, definesName } from './called-name.ts'

test.each([
  ['pay(cart)', 'pay'],
  ['cart.pay(1)', 'pay'],
  ['this.#pay()', 'pay'],
  ['cart?.items[0].pay?.(1)', 'pay'],
  ['new Cart<Item>(x)', 'Cart'],
  ['await pay(cart)', 'pay'],
  ['return shop.cart.pay()', 'pay'],
  ['größe()', 'größe'],
  ['cart.total', null],
  ['cart.total + pay(1)', null],
  ['(0, pay)(1)', null],
  ['if (pay)', null],
  ['if(pay)', null],
  ['', null],
])('the function called in %j is %j', (text, name) => {
  expect(calledName(text)).toBe(name)
})

test.each([
  ['function pay(a) {', 'pay', true],
  ['export async function pay(', 'pay', true],
  ['const pay = (a: number) => {', 'pay', true],
  ['const pay: Pay = async (a) => 1', 'pay', true],
  ['const pay = cart => 1', 'pay', true],
  ['{ pay: function () {}', 'pay', true],
  ['class A {\n  async pay(a: number): Promise<void> {', 'pay', true],
  ['class Cart extends Map {', 'Cart', true],
  ['pay(1)', 'pay', false],
  ['repay = () => 1', 'pay', false],
  ['function payAll() {', 'pay', false],
  ['const pay = 1', 'pay', false],
  ['x = a.b(1)', '.*', false],
])('%j defines %s: %s', (text, name, expected) => {
  expect(definesName(text, name)).toBe(expected)
})

test('reads adversarial text in linear time', () => {
  const hostile = ['a.'.repeat(20_000), 'a<'.repeat(20_000), 'new '.repeat(20_000), 'a[a'.repeat(9_000)]
  for (const text of hostile) {
    expect(calledName(text)).toBe(null)
    expect(definesName(text, 'a')).toBe(false)
  }
})
