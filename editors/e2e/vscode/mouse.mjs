// Clicks that are known to be heard.

/**
 * Clicks an element, and tells whether it heard the click: one that is drawn anew between the button's going down and up hears none, and one that is
 * gone by then takes none.
 */
export async function clicked(locator, { timeout = 10_000 } = {}) {
  const element = await locator.elementHandle({ timeout });
  await element.evaluate((e) => {
    e.rigHeard = false;
    e.addEventListener('click', () => (e.rigHeard = true), { capture: true, once: true });
  });
  await element.click({ timeout }).catch(() => {}); // it may have gone with the click
  return element.evaluate((e) => e.rigHeard);
}

/** Clicks an element until it has heard it. */
export async function press(desk, locator) {
  await desk.until(`a click is heard by ${locator}`, () => clicked(locator.first()));
}
