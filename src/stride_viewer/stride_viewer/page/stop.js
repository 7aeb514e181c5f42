// STOP goes its own way to the server, so that it works while the page's connection is broken or busy.
window.strideStop = async function () {
  const box = document.getElementById("stop-answer");
  const show = (text, taken) => {
    box.textContent = text;
    box.classList.toggle("taken", taken);
    box.style.display = "block";
    clearTimeout(window.strideStopShown);
    if (taken) window.strideStopShown = setTimeout(() => (box.style.display = "none"), 6000);
  };
  show("STOP ...", false);
  try {
    const response = await fetch("/stop", { method: "POST", signal: AbortSignal.timeout(8000) });
    const answer = await response.json();
    show(answer.message, answer.accepted);
  } catch (error) {
    show("STOP WAS NOT DELIVERED: the viewer does not answer. Switch the robot's supply off.", false);
  }
};
document.addEventListener("keydown", (event) => {
  // A key that repeats asked already, and what it asks for takes the bus's time. Escape that closes an
  // open list means the list.
  const list = document.querySelector(".q-menu");
  if (event.key === "Escape" && !event.repeat && !list && document.getElementById("stop-answer")) window.strideStop();
}, true);
