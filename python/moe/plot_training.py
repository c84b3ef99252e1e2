"""Draws the course of a training run."""

import numpy as np

__all__ = ["plot_training"]

_BLUE, _ORANGE, _GREY = "#2a6fbb", "#d9822b", "#9aa0a6"


def plot_training(path, history, *, title):
    """Write loss, accuracy and the experts' load as one PNG.

    Parameters
    ----------
    path : str or Path
    history : moe.train.History
    title : str
    """
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import PercentFormatter

    figure, (loss, accuracy, load) = plt.subplots(
        1, 3, figsize=(15, 4.5), constrained_layout=True)
    figure.suptitle(title)
    steps = np.arange(1, len(history.losses) + 1)
    epochs = history.epoch_ends

    loss.plot(steps, history.losses, color=_BLUE, alpha=0.35, linewidth=1,
              label="each step")
    starts = np.concatenate([[0], epochs[:-1]]).astype(int)
    means = [np.mean(history.losses[a:b]) for a, b in zip(starts, epochs)]
    loss.plot(epochs, means, color=_BLUE, marker="o", markersize=3,
              label="mean of an epoch")
    loss.plot(epochs, history.held_out_losses, color=_ORANGE, marker="s",
              markersize=3, label="held out")
    loss.set_yscale("log")
    loss.set(title="loss", xlabel="step", ylabel="loss")
    loss.legend()

    accuracy.plot(epochs, history.train_accuracies, color=_BLUE, marker="o",
                  markersize=3, label="training")
    accuracy.plot(epochs, history.held_out_accuracies, color=_ORANGE,
                  marker="s", markersize=3, label="held out")
    accuracy.yaxis.set_major_formatter(PercentFormatter(1.0))
    accuracy.set(title="accuracy", xlabel="step", ylabel="classified right")
    accuracy.legend(loc="lower right")

    counts = np.asarray(history.counts, float)
    shares = counts / counts.sum(axis=1, keepdims=True)
    experts = shares.shape[1]
    # Single batches are noisy: the mean of the last 20.
    window = min(20, len(shares))
    smooth = np.stack([shares[max(0, i + 1 - window):i + 1].mean(axis=0)
                       for i in range(len(shares))])
    colors = plt.get_cmap("tab10" if experts <= 10 else "viridis")(
        np.arange(experts) / (10 if experts <= 10 else experts))
    for expert in range(experts):
        load.plot(steps, smooth[:, expert], color=colors[expert], linewidth=1.3,
                  label=f"expert {expert}")
    load.axhline(1 / experts, color=_GREY, linestyle="--", linewidth=1,
                 label="even load")
    load.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    load.set_ylim(bottom=0)
    load.set(title=f"experts' share of the slots (mean of {window} steps)",
             xlabel="step", ylabel="share")
    load.legend(ncol=2, fontsize="small")
    for axes in (loss, accuracy, load):
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    plt.close(figure)
