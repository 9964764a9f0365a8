import { expect, it } from "vitest";

import { Playhead } from "./playhead.svelte";

/** A video that goes where it is told to and says so. */
class Video extends EventTarget {
  #seconds = 0;
  get currentTime() {
    return this.#seconds;
  }
  set currentTime(seconds) {
    this.#seconds = seconds;
    this.dispatchEvent(new Event("seeking"));
  }
  play = async () => {};
  scrollIntoView() {}
}

// 2.01 s are 2009.9999999999998 ms, which is before a word that begins at 2,010.
it.each([0, 2010, 4350])("is at %d ms when that is played", (ms) => {
  const head = new Playhead();
  head.attach(new Video() as unknown as HTMLVideoElement);
  head.play(ms);
  expect(head.now).toBe(ms);
});

it("follows what the video's own controls do", () => {
  const head = new Playhead();
  const video = new Video();
  const release = head.attach(video as unknown as HTMLVideoElement);
  video.currentTime = 4.1;
  expect(head.now).toBe(4100);
  release();
  video.currentTime = 1;
  expect(head.now).toBe(4100);
});
