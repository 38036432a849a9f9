import type { Page } from '../web/chromium.ts'

/** What tests do with the page in a browser, which is opened later. */
export interface Looking {
  see(expression: string): Promise<unknown>
  text(selector: string): Promise<unknown>
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>
  /** Opens the exchange of this number. */
  pick(number: number): Promise<void>
  /** Presses a button of the exchange that is open. */
  press(name: string): Promise<unknown>
}

export function lookingAt(page: () => Page): Looking {
  const see = (expression: string) => page().evaluate(expression)
  const until = async (expression: string) => {
    for (let tries = 0; tries < 400; tries += 1) {
      if (await see(expression)) return
      await new Promise((wake) => setTimeout(wake, 25))
    }
    throw new Error(`it never came to be that ${expression}`)
  }
  return {
    see,
    text: (selector) =>
      see(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`),
    until,
    async pick(number) {
      const line = `document.querySelector('main tr[data-number="${number}"]')`
      await until(line)
      await see(`${line}.click()`)
      await until(`document.querySelector('#title')?.textContent.startsWith('${number}:')`)
    },
    press: (name) =>
      see(
        `[...document.querySelectorAll('#detail .bar button')].find((each) => each.textContent === '${name}').click()`,
      ),
  }
}
