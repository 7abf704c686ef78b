"""Recognition of scans in the languages of claim files: recall, and whether what is sure is right.

    python benchmarks/languages.py [--split dev|held] [--languages es,vi,…]

Sentences are drawn with the machine's DejaVu fonts or OpenCV's own, blurred and made noisy. Words of Chinese
are compared letter by letter. `other` are scripts that the recognizer does not know: nothing of them may be
sure. `held` has other sentences, fonts and noise than `dev`.
"""

import argparse
import random
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.core.layout.content import PagePicture, has_few_sure_words, words_of_boxes

FONTS = Path("/usr/share/fonts/truetype/dejavu")
SURE = 0.9
TEXTS = {
    "en": (
        "The employee reported an injury of the right shoulder on March 14, 2025.",
        "Temporary disability is paid every two weeks at the rate of $560.20.",
    ),
    "es": (
        "El trabajador sufrió una lesión en la espalda el 12 de marzo de 2025 mientras cargaba cajas.",
        "¿Ha tenido alguna lesión anterior? ¡Avise a su patrón! El niño y la señora Muñoz firmaron.",
    ),
    "de": (
        "Der Arbeitnehmer verletzte sich am 12.03.2025 an der rechten Schulter; Größe und Gewicht prüfen.",
        "Für die Überprüfung der ärztlichen Maßnahmen benötigen wir die Unterlagen des Krankenhauses.",
    ),
    "fr": (
        "Le salarié s'est blessé à l'épaule gauche le 12 mars 2025 ; l'employeur a été prévenu.",
        "Où êtes-vous né ? Les frais médicaux sont remboursés dès réception du reçu, façon habituelle.",
    ),
    "pl": (
        "Pracownik zgłosił uraz prawego ramienia dnia 12 marca 2025 r. podczas pracy w piekarni.",
        "Świadczenie pieniężne będzie wypłacane co dwa tygodnie; proszę dołączyć zaświadczenie lekarskie.",
    ),
    "vi": (
        "Người lao động bị thương ở vai phải ngày 12 tháng 3 năm 2025 khi đang làm việc.",
        "Xin vui lòng gửi giấy chứng nhận của bác sĩ và hóa đơn viện phí cho công ty bảo hiểm.",
    ),
    "zh": ("员工于二零二五年三月十二日在工作时右肩受伤", "请提供医院的诊断证明和医疗费用收据以便办理赔偿"),
    "other": (
        "Работник сообщил о травме правого плеча двенадцатого марта во время работы.",
        "Ο εργαζόμενος ανέφερε τραυματισμό στον δεξιό ώμο κατά τη διάρκεια της εργασίας.",
    ),
}
HELD = {
    "en": (
        "The claims administrator must accept or deny liability within ninety days.",
        "A qualified medical evaluator examined the applicant and found no apportionment.",
    ),
    "es": (
        "La compañía de seguros negó el reclamo porque no recibió el informe médico a tiempo.",
        "Según el médico, el señor Ibáñez podrá volver al trabajo en junio con límites de peso.",
    ),
    "de": (
        "Die Versicherung übernimmt die Kosten der Behandlung, sobald der ärztliche Bericht vorliegt.",
        "Bitte füllen Sie das Formular vollständig aus und schicken Sie es bis zum 30.06.2025 zurück.",
    ),
    "fr": (
        "L'assureur a refusé la prise en charge, faute de certificat médical reçu à temps.",
        "Le médecin a décidé que le blessé pourra reprendre son activité en août, sans efforts répétés.",
    ),
    "pl": (
        "Ubezpieczyciel odmówił wypłaty, ponieważ nie otrzymał na czas orzeczenia o zdolności do pracy.",
        "Według lekarza może wrócić do lżejszych zajęć; ćwiczenia należy powtarzać każdego dnia.",
    ),
    "vi": (
        "Công ty bảo hiểm từ chối yêu cầu bồi thường vì không nhận được hồ sơ đúng hạn.",
        "Bác sĩ cho biết bệnh nhân có thể trở lại làm việc nhẹ vào tháng sáu năm nay.",
    ),
    "zh": (
        "保险公司因为没有按时收到病历而拒绝了这项索赔",
        "医生认为该工人六月可以恢复较轻的工作但不能搬重物",
    ),
    "other": (
        "Страховая компания отказала в выплате, потому что не получила заключение врача вовремя.",
        "Η ασφαλιστική εταιρεία αρνήθηκε την αποζημίωση επειδή δεν έλαβε εγκαίρως τη γνωμάτευση.",
    ),
}


def drawn(texts: tuple[str, ...], language: str, chance: random.Random, *, held: bool) -> NDArray[np.uint8]:
    """Return a letter page at 200 dpi with the sentences in several sizes, as a noisy scan."""
    image = Image.new("L", (1700, 2200), 255)
    y = 150
    for size in (30, 34, 38, 44):
        for text in texts:
            for line in wrapped(text, 1300 // (size if language == "zh" else size // 2)):
                write(image, line, (150, y), size, language, chance, held=held)
                y += int(size * 1.7)
        y += 40
    blurred = image.filter(ImageFilter.GaussianBlur(chance.uniform(0.5, 1.1)))
    values = np.asarray(blurred, np.float64) * 0.88 + 15
    noise = np.random.default_rng(chance.randrange(10**6)).normal(0, 14 if held else 10, values.shape)
    return (values + noise).clip(0, 255).astype(np.uint8)


def wrapped(text: str, letters: int) -> list[str]:
    if " " not in text:
        return [text[i : i + letters] for i in range(0, len(text), letters)]
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > letters:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def write(image, text, place, size, language, chance, *, held) -> None:
    if language == "zh":
        values = np.asarray(image).copy()
        cv2.putText(values, text, (place[0], place[1] + size), (0,), cv2.FontFace("sans"), size, 400)
        image.paste(Image.fromarray(values))
        return
    names = ("DejaVuSerif.ttf", "DejaVuSansCondensed.ttf") if held else ("DejaVuSans.ttf", "DejaVuSerif.ttf")
    font = ImageFont.truetype(str(FONTS / chance.choice(names)), size)
    ImageDraw.Draw(image).text(place, text, font=font, fill=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--split", choices=("dev", "held"), default="dev")
    parser.add_argument("--languages", default=",".join(TEXTS))
    parser.add_argument("--pages", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="print what was read (development only)")
    options = parser.parse_args()
    held = options.split == "held"
    recognize = PageRecognizer()
    for language in options.languages.split(","):
        texts = (HELD if held else TEXTS)[language]
        printed = read = hit = sure = sure_right = warned = 0
        for seed in range(options.pages):
            grey = drawn(texts, language, random.Random(seed + 900 * held), held=held)
            words = recognize(PagePicture(grey, 200.0, 1, 612.0, 792.0), known=())
            parts = [
                (piece, word[2]) for word in words for piece in (word[0] if language == "zh" else [word[0]])
            ]
            want = Counter(list("".join(texts)) if language == "zh" else " ".join(texts).split())
            want = Counter({word: 4 * count for word, count in want.items()})
            printed += want.total()
            have = Counter(text for text, _ in parts)
            hit += (want & have).total()
            read += have.total()
            sure += sum(chance >= SURE for _, chance in parts)
            sure_right += sum(chance >= SURE and text in want for text, chance in parts)
            warned += has_few_sure_words(words_of_boxes(words, width_pt=612.0, height_pt=792.0))
            if options.show and not held and seed == 0:
                print(" ".join(f"{word[0]}:{word[2]:.2f}" for word in words[:40]))
        print(
            f"{language:6s} recall {hit / printed:.3f}  precision {hit / max(read, 1):.3f}  "
            f"sure {sure / max(read, 1):.2f}, of these right {sure_right / max(sure, 1):.3f}  "
            f"pages warned of {warned} of {options.pages}"
        )


if __name__ == "__main__":
    main()
